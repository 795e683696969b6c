"""The chapter's two algorithms: learning merges, and merging by rank."""
