-- Which words are common is counted when a query asks, among what it asks.
DROP TABLE common_words;
