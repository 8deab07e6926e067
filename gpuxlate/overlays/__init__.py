"""What is laid over other files: roles of files, kustomizations and their patches, values of charts."""
