"""What a rule demands of a pod, said once and printed three ways: a check, JSON Schema, CEL."""
