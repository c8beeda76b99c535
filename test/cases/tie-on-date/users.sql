-- One moment for all, inserted out of order, across a page edge: the id decides, ascending.
INSERT INTO users (id) VALUES
  ('00000000-0000-4000-8000-00000000000c'),
  ('00000000-0000-4000-8000-00000000000a'),
  ('f0000000-0000-4000-8000-000000000000'),
  ('00000000-0000-4000-8000-00000000000b'),
  ('0fffffff-0000-4000-8000-000000000000');
