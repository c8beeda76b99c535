-- Fewer users than a page holds; date_joined puts the newest first.
INSERT INTO users (id, username, date_joined) VALUES
  ('00000000-0000-4000-8000-000000000001', 'oldest', '2026-01-01T00:00:00.000000Z'),
  ('00000000-0000-4000-8000-000000000002', 'newest', '2026-01-03T00:00:00.000000Z'),
  ('00000000-0000-4000-8000-000000000003', 'middle', '2026-01-02T23:59:59.999999Z');
