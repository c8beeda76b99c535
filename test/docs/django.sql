-- What Django's migrations make on SQLite for a custom user model with a UUID key and a one-to-one off-chain profile,
-- and rows as Django writes them. Every text that says SECRET must stay out of a release.

CREATE TABLE "accounts_user" (
  "password" varchar(128) NOT NULL,
  "last_login" datetime NULL,
  "is_superuser" bool NOT NULL,
  "email" varchar(254) NOT NULL,
  "is_staff" bool NOT NULL,
  "is_active" bool NOT NULL,
  "id" char(32) NOT NULL PRIMARY KEY,
  "username" varchar(150) NULL UNIQUE,
  "first_name" varchar(150) NOT NULL,
  "last_name" varchar(150) NOT NULL,
  "bio" text NOT NULL,
  "country" varchar(2) NOT NULL,
  "current_location" varchar(2) NOT NULL,
  "languages" text NOT NULL CHECK ((JSON_VALID("languages") OR "languages" IS NULL)),
  "default_wallet" varchar(42) NULL,
  "image" varchar(100) NOT NULL,
  "kyc_status" varchar(32) NOT NULL,
  "wac_status" smallint NOT NULL,
  "referrals_count" integer unsigned NOT NULL CHECK ("referrals_count" >= 0),
  "date_joined" datetime NOT NULL
);

CREATE TABLE "accounts_offchainprofile" (
  "id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  "tokens" bigint unsigned NOT NULL CHECK ("tokens" >= 0),
  "mining_events" integer unsigned NOT NULL CHECK ("mining_events" >= 0),
  "withdrawn_events" integer unsigned NOT NULL CHECK ("withdrawn_events" >= 0),
  "pending_events" integer unsigned NOT NULL CHECK ("pending_events" >= 0),
  "next_mining_at" datetime NULL,
  "last_withdrawn_at" datetime NULL,
  "created_at" datetime NOT NULL,
  "liveness_tier" varchar(16) NOT NULL,
  "liveness_required_samples" smallint unsigned NOT NULL CHECK ("liveness_required_samples" >= 0),
  "liveness_min_blinks" smallint unsigned NOT NULL CHECK ("liveness_min_blinks" >= 0),
  "liveness_require_head_movement" bool NOT NULL,
  "liveness_warmup_duration" smallint unsigned NOT NULL CHECK ("liveness_warmup_duration" >= 0),
  "user_id" char(32) NOT NULL UNIQUE REFERENCES "accounts_user" ("id") DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE "django_session" (
  "session_key" varchar(40) NOT NULL PRIMARY KEY,
  "session_data" text NOT NULL,
  "expire_date" datetime NOT NULL
);

INSERT INTO "django_session" VALUES ('SECRET-session-key', 'SECRET-session-data', '2027-01-01 00:00:00');

INSERT INTO "accounts_user" VALUES
  -- Everything there, microseconds and all.
  ('pbkdf2_sha256$1000000$SECRET-salt-1$SECRET-hash-1', '2026-01-30 08:00:00.000001', 0, 'SECRET-1@example.com', 0, 1,
   '0a1b2c3d4e5f60718293a4b5c6d7e8f9', 'ada', 'Ada', 'Okafor', 'Likes "quotes", and
new lines.', 'NG', 'GB', '["EN", "YO", "PT-BR"]', '0x52908400098527886E0F7030069857D2E4169eE7',
   'avatars/ada_x7Yz.jpg', 'VERIFIED', 0, 12, '2025-03-04 05:06:07.000089'),
  -- Microseconds of 0, so no fraction; JSON as Django writes it; nothing chosen and nothing filled in.
  ('!SECRET-unusable-2', NULL, 0, 'SECRET-2@example.com', 0, 1,
   'ffffffff0000400080000000000000aa', NULL, '', '', '', '', '', '[]', NULL, '', 'NONE', 0, 0, '2026-01-02 03:04:05'),
  -- Half a second after the one above, a number that sorts the other way as text; right to left, escaped JSON.
  ('argon2$argon2id$v=19$SECRET-salt-3$SECRET-hash-3', NULL, 0, 'SECRET-3@example.com', 0, 1,
   '11111111222243338444555555555555', 'noa', 'נועה', '', 'שלום 👋🏽 </script>', 'IL', 'IL', '["\u0048E"]', '', 'avatars/noa.png',
   'NEED_P2P_VERIFICATION', 0, 3, '2026-01-02 03:04:05.500000'),
  -- A tie with the one without a fraction; the id as name, which some projects use as default.
  ('pbkdf2_sha256$1000000$SECRET-salt-4$SECRET-hash-4', NULL, 1, 'SECRET-4@example.com', 1, 1,
   '00000000000040008000000000000001', '00000000-0000-4000-8000-000000000001', '', 'ကျော်', '', 'MM', 'XX', '["MY"]', NULL, '',
   'unknown', 0, 0, '2026-01-02 03:04:05'),
  -- Deactivated: not published, whatever else is true of it.
  ('pbkdf2_sha256$1000000$SECRET-salt-5$SECRET-hash-5', NULL, 0, 'SECRET-5@example.com', 0, 0,
   '99999999999949998999999999999999', 'SECRET-deactivated', 'Gone', 'Away', 'SECRET-bio', 'FR', 'FR', '["FR"]', NULL, '',
   'CONFIRMED', 0, 0, '2026-01-05 00:00:00');

INSERT INTO "accounts_offchainprofile" VALUES
  (1, 20, 25, 15, 10, '2026-02-01 00:00:00', '2026-01-15 10:20:30.400500', '2025-03-04 05:06:08', 'normal', 2, 1, 0, 2,
   '0a1b2c3d4e5f60718293a4b5c6d7e8f9'),
  (2, 0, 0, 0, 0, NULL, NULL, '2026-01-02 03:04:05', 'normal', 2, 1, 0, 2, 'ffffffff0000400080000000000000aa'),
  (3, 2, 1, 0, 1, '2026-02-01 12:00:00.000100', NULL, '2026-01-02 03:04:06.000007', 'normal', 2, 1, 1, 2,
   '11111111222243338444555555555555'),
  (4, 0, 7, 7, 0, NULL, '2026-01-20 00:00:00', '2026-01-02 03:04:05.000001', 'normal', 2, 1, 0, 2,
   '00000000000040008000000000000001'),
  (5, 0, 0, 0, 0, NULL, NULL, '2026-01-05 00:00:00', 'normal', 2, 1, 0, 2, '99999999999949998999999999999999');
