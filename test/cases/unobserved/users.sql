-- Values nobody has observed: published as they are, each a warning of its kind.
INSERT INTO users (id, circles, wac_status, off_chain_tokens, off_chain_pending_events, off_chain_liveness_tier, off_chain_liveness_min_blinks) VALUES
  ('00000000-0000-4000-8000-000000000001', '[{"z": 1, "a": {"y": [true, null], "b": "\u00e9 1.5"}}, 0.5, -1]', 0, 4, 2, 'normal', 1),
  ('00000000-0000-4000-8000-000000000002', '[]', -7, 4, 2, 'normal', 1),
  ('00000000-0000-4000-8000-000000000003', '[]', 0, 5, 2, 'normal', 1),
  ('00000000-0000-4000-8000-000000000004', '[]', 0, 18014398509, 9007199254740991, 'normal', 1),
  ('00000000-0000-4000-8000-000000000005', '[]', 0, 4, 2, '', -1);
