"""What is put right or taken away of what a writer said without asking anybody."""
