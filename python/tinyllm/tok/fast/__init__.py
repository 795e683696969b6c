"""What makes encoding fast and is not the algorithm: chunks of text, and bounded caches."""
