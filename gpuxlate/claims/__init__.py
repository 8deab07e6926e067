"""Claims on devices: those of some texts by their names, what is wrong with them, and new templates."""
