-- What Django makes on SQLite for its own users, a profile with a UUID key and a one-to-one table of that profile, and the
-- view over them. Every text that says SECRET must stay out of a release.

CREATE TABLE "auth_user" (
  "id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  "password" varchar(128) NOT NULL,
  "last_login" datetime NULL,
  "is_superuser" bool NOT NULL,
  "username" varchar(150) NOT NULL UNIQUE,
  "last_name" varchar(150) NOT NULL,
  "email" varchar(254) NOT NULL,
  "is_staff" bool NOT NULL,
  "is_active" bool NOT NULL,
  "date_joined" datetime NOT NULL,
  "first_name" varchar(150) NOT NULL
);

CREATE TABLE "members_profile" (
  "uuid" char(32) NOT NULL PRIMARY KEY,
  "bio" text NOT NULL,
  "country" varchar(2) NULL,
  "languages" text NOT NULL CHECK ((JSON_VALID("languages") OR "languages" IS NULL)),
  "settings" text NOT NULL CHECK ((JSON_VALID("settings") OR "settings" IS NULL)),
  "born" date NULL,
  "user_id" integer NOT NULL UNIQUE REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE "members_standing" (
  "profile_id" char(32) NOT NULL PRIMARY KEY REFERENCES "members_profile" ("uuid") DEFERRABLE INITIALLY DEFERRED,
  "points" integer unsigned NOT NULL CHECK ("points" >= 0),
  "share" decimal NOT NULL,
  "has_badge" bool NOT NULL
);

CREATE TABLE "django_session" (
  "session_key" varchar(40) NOT NULL PRIMARY KEY,
  "session_data" text NOT NULL,
  "expire_date" datetime NOT NULL
);

INSERT INTO "django_session" VALUES ('SECRET-session-key', 'SECRET-session-data', '2027-01-01 00:00:00');

WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 45)
INSERT INTO "auth_user" SELECT
  n, 'pbkdf2_sha256$1000000$SECRET-salt$SECRET-hash', CASE WHEN n % 3 THEN '2026-01-30 08:00:00.000001' END, n = 1, 'user' || n,
  CASE n WHEN 7 THEN 'ကျော်' WHEN 8 THEN 'Berg "the mountain"' ELSE 'Last ' || n END, 'SECRET-' || n || '@example.com', n % 10 = 0, 1,
  '2025-03-' || printf('%02d', 1 + n % 28) || ' 05:06:07.' || printf('%06d', n), CASE n WHEN 9 THEN 'נועה' ELSE 'First ' || n END
FROM numbers;

INSERT INTO "members_profile" SELECT
  printf('%08x', id * 2654435761 % 4294967296) || '00004000800000000000' || printf('%04x', id), 'Likes tea,
and 🍰 no. ' || id, CASE WHEN id % 9 THEN substr('DEFRNG', 1 + 2 * (id % 3), 2) END,
  CASE id % 2 WHEN 0 THEN '[]' ELSE '["EN", "\u0048E"]' END, '{"theme": "dark", "size": ' || id || '.5}', '1980-01-02', id
FROM "auth_user";

INSERT INTO "members_standing" SELECT uuid, user_id * 3, user_id / 7.0, user_id % 2 FROM "members_profile";

CREATE VIEW "members" AS SELECT
  profile.uuid AS id, user.username, user.first_name, user.last_name, user.email, user.password, user.is_staff,
  user.date_joined, user.last_login, profile.bio, profile.country, profile.languages, profile.settings, profile.born,
  standing.points, standing.share, standing.has_badge
FROM "auth_user" AS user
JOIN "members_profile" AS profile ON profile.user_id = user.id
JOIN "members_standing" AS standing ON standing.profile_id = profile.uuid
WHERE user.is_active;
