"""The share, the GPU keys of a pod, data sheets, findings and limits. Standard library only."""
