"""Make the compiled libraries inside the single file importable."""
