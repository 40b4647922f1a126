"""An index in PostgreSQL with pgvector, for many replicas, corpora and publishers.

connections   a URL in, pooled connections out; failures become errors that say what to do
schema        the tables, their version, their partitions, and who may read which rows
corpora       named corpora, their current generations, encoders and readers
embedding     texts waiting for a vector, claimed by any number of machines
copying       rows in, binary COPY out
term_counts   terms of sections in, arrays of counts and postings out
generation    what a publisher writes: sections, sparse vectors, postings, signatures
publish       a corpus in, a new generation out, switched to in one statement
statement     the statement that finds candidates, exact and approximate
candidates    a query in, what each retrieval leg finds out, in one round trip
compared      the candidates as the index that a query is compared with
standby       a generation in memory, which goes on answering while the database is away
index         the index that `KnowledgeBase` holds: follows the generations, degrades, recovers
"""
