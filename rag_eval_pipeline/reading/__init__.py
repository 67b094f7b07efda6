"""Bytes to rows or quarantine: files, encodings, formats, ids and hashes; knows no domain."""
