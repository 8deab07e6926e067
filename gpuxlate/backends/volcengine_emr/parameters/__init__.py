"""Parameters of jobs and values of forms: what is no manifest. The only place that knows their syntaxes."""
