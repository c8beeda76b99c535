-- The contract names no path: the listing is at the base URL itself.
INSERT INTO users (id, username, date_joined) VALUES
  ('00000000-0000-4000-8000-000000000001', 'Carol', '2026-01-01T00:00:00.000000Z'),
  ('00000000-0000-4000-8000-000000000002', 'Ada', '2026-01-01T00:00:00.000000Z'),
  ('00000000-0000-4000-8000-000000000003', 'Bob', '2026-01-01T00:00:00.000000Z');
