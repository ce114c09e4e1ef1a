"""What tests of several folders share. Every test file runs alone and in any order."""
