-- NULL wherever it is allowed, and what stands in its place; an empty string is a value and stays.
INSERT INTO users (id, username, first_name, last_name, display_name, image_url, date_joined) VALUES
  ('00000000-0000-4000-8000-000000000001', NULL, 'Ada', 'Lovelace', NULL, NULL, '2026-01-07T00:00:00.000000Z'),
  ('00000000-0000-4000-8000-000000000002', '', '', '', '', NULL, '2026-01-06T00:00:00.000000Z'),
  ('00000000-0000-4000-8000-000000000003', NULL, '', '', NULL, NULL, '2026-01-05T00:00:00.000000Z'),
  ('00000000-0000-4000-8000-000000000004', NULL, 'Ada', '', NULL, NULL, '2026-01-04T00:00:00.000000Z'),
  ('00000000-0000-4000-8000-000000000005', NULL, '', 'Lovelace', NULL, NULL, '2026-01-03T00:00:00.000000Z'),
  -- White space of every kind goes from the ends and stays in the middle.
  ('00000000-0000-4000-8000-000000000006', NULL, char(0x3000, 9) || 'Ada ', ' Lovelace' || char(0x2003, 10, 0xFEFF), NULL, NULL, '2026-01-02T00:00:00.000000Z'),
  -- Names of white space are not empty names.
  ('00000000-0000-4000-8000-000000000007', NULL, ' ', char(0xA0), NULL, NULL, '2026-01-01T00:00:00.000000Z');
