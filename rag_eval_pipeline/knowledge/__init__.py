"""The knowledge base: its documents, its frozen snapshots, its ids and their validity."""
