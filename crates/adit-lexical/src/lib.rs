//! Text analysis by language and a BM25 index over the analysed words.
