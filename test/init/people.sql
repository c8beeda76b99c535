-- A table as people make them: an integer key, times as numbers, and some of everything that cannot be published as it is.
-- Every text that says SECRET must stay out of a release.

CREATE TABLE people (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  mail TEXT,
  ApiKey TEXT,
  role TEXT,
  is_admin INTEGER NOT NULL DEFAULT 0,
  created INTEGER NOT NULL,
  last_seen INTEGER,
  height REAL,
  website TEXT,
  photo BLOB,
  age,
  "Full Address" TEXT,
  "Favourite Colour" TEXT,
  serial INTEGER,
  unused TEXT
);

WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 60)
INSERT INTO people SELECT
  n * n, 'Person ' || n, 'SECRET' || n || '@example.com', 'SECRET-' || n, substr('cook  waiterguest ', 1 + 6 * (n % 3), 6),
  n % 2, 1700000000 + n * 86400, CASE WHEN n % 4 THEN 1700000000123 + n * 60000 END, 1.5 + n / 100.0,
  CASE WHEN n % 5 THEN 'https://example.com/~' || n END, x'89504e47', CASE n WHEN 17 THEN 'SECRET old' ELSE 20 + n END,
  'SECRET street ' || n, 'colour no. ' || n, 9007199254740990 + n, NULL
FROM numbers;
