/*
 * The lower bound for a build: reads every user in order with libsqlite3, and writes the same pages on one thread, without
 * validation, digests or fsync. Usage: baseline DB FOLDER BASE_URL PAGE_SIZE
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/stat.h>

static char *out;
static size_t used, room;

static void reserve(size_t more) {
  if (used + more <= room) return;
  while (used + more > room) room = room ? room * 2 : 1 << 17;
  out = realloc(out, room);
}

static void raw(const char *text, size_t length) {
  reserve(length);
  memcpy(out + used, text, length);
  used += length;
}

#define LITERAL(text) raw(text, sizeof(text) - 1)

static void quoted(const unsigned char *text, int length) {
  reserve((size_t)length * 6 + 2);
  char *to = out + used;
  *to++ = '"';
  for (int at = 0; at < length; at++) {
    unsigned char byte = text[at];
    if (byte >= 0x20 && byte != '"' && byte != '\\') *to++ = (char)byte;
    else {
      const char *known = "\"\"\\\\\bb\ff\nn\rr\tt";
      const char *found = NULL;
      for (int k = 0; k < 14; k += 2) if ((unsigned char)known[k] == byte) found = known + k + 1;
      *to++ = '\\';
      if (found) *to++ = *found;
      else to += sprintf(to, "u%04x", byte);
    }
  }
  *to++ = '"';
  used = (size_t)(to - out);
}

static sqlite3_stmt *rows;

static int is_null(int column) { return sqlite3_column_type(rows, column) == SQLITE_NULL; }

static void text_of(int column) { quoted(sqlite3_column_text(rows, column), sqlite3_column_bytes(rows, column)); }

static void json_of(int column) { raw((const char *)sqlite3_column_text(rows, column), (size_t)sqlite3_column_bytes(rows, column)); }

static void integer_of(int column) {
  char digits[24];
  raw(digits, (size_t)snprintf(digits, sizeof digits, "%lld", sqlite3_column_int64(rows, column)));
}

enum { BIO, CIRCLES, COUNTRY, LOCATION, JOINED, WALLET, DISPLAY, FIRST, ID, IMAGE, KYC, LANGUAGES, LAST, CREATED,
  WITHDRAWN_AT, BLINKS, HEAD, SAMPLES, WARMUP, TIER, MINING, NEXT, PENDING, TOKENS, WITHDRAWN, REFERRALS, USERNAME, WAC };

static void record(const char *avatar) {
  LITERAL("{\"bio\":"); text_of(BIO);
  LITERAL(",\"circles\":"); json_of(CIRCLES);
  LITERAL(",\"country\":"); text_of(COUNTRY);
  LITERAL(",\"current_location\":"); text_of(LOCATION);
  LITERAL(",\"date_joined\":"); text_of(JOINED);
  LITERAL(",\"default_wallet\":"); if (is_null(WALLET)) LITERAL("null"); else text_of(WALLET);
  LITERAL(",\"display_name\":");
  if (!is_null(DISPLAY)) text_of(DISPLAY);
  else if (sqlite3_column_bytes(rows, FIRST) + sqlite3_column_bytes(rows, LAST) == 0) text_of(ID);
  else {
    char name[4096];
    int length = snprintf(name, sizeof name, "%s %s", sqlite3_column_text(rows, FIRST), sqlite3_column_text(rows, LAST));
    char *from = name;
    while (length > 0 && from[length - 1] == ' ') length--;
    while (length > 0 && *from == ' ') from++, length--;
    quoted((unsigned char *)from, length);
  }
  LITERAL(",\"first_name\":"); text_of(FIRST);
  LITERAL(",\"id\":"); text_of(ID);
  LITERAL(",\"image_url\":"); if (is_null(IMAGE)) quoted((const unsigned char *)avatar, (int)strlen(avatar)); else text_of(IMAGE);
  LITERAL(",\"kyc_status\":"); text_of(KYC);
  LITERAL(",\"languages\":"); json_of(LANGUAGES);
  LITERAL(",\"last_name\":"); text_of(LAST);
  LITERAL(",\"off_chain\":{\"created_at\":"); text_of(CREATED);
  LITERAL(",\"last_withdrawn_at\":"); if (is_null(WITHDRAWN_AT)) LITERAL("null"); else text_of(WITHDRAWN_AT);
  LITERAL(",\"liveness_config\":{\"min_blinks\":"); integer_of(BLINKS);
  LITERAL(",\"require_head_movement\":"); if (sqlite3_column_int(rows, HEAD)) LITERAL("true"); else LITERAL("false");
  LITERAL(",\"required_samples\":"); integer_of(SAMPLES);
  LITERAL(",\"warmup_duration\":"); integer_of(WARMUP);
  LITERAL("},\"liveness_tier\":"); text_of(TIER);
  LITERAL(",\"mining_events\":"); integer_of(MINING);
  LITERAL(",\"next_mining_at\":"); if (is_null(NEXT)) LITERAL("\"1970-01-01T00:00:00\""); else text_of(NEXT);
  LITERAL(",\"pending_events\":"); integer_of(PENDING);
  LITERAL(",\"tokens\":"); integer_of(TOKENS);
  LITERAL(",\"withdrawn_events\":"); integer_of(WITHDRAWN);
  LITERAL("},\"referrals_count\":"); integer_of(REFERRALS);
  LITERAL(",\"username\":"); text_of(is_null(USERNAME) ? ID : USERNAME);
  LITERAL(",\"wac_status\":"); integer_of(WAC);
  LITERAL("}");
}

static void link_to(const char *base, long page, long pages) {
  char url[4096];
  if (page < 1 || page > pages) LITERAL("null");
  else raw(url, (size_t)snprintf(url, sizeof url, "\"%s/api/users/?format=api&page=%ld\"", base, page));
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  const char *folder = argv[2], *base = argv[3];
  long size = atol(argv[4]), page = 0, in_page = 0;
  char text[4096], avatar[4096];
  snprintf(avatar, sizeof avatar, "%s/avatar.svg", base);
  sqlite3 *db;
  if (sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READONLY, NULL)) return 1;
  sqlite3_exec(db, "PRAGMA mmap_size = 2147418112; BEGIN", NULL, NULL, NULL);
  sqlite3_prepare_v2(db, "SELECT count(*) FROM users", -1, &rows, NULL);
  sqlite3_step(rows);
  long count = sqlite3_column_int64(rows, 0), pages = count ? (count + size - 1) / size : 1;
  sqlite3_finalize(rows);
  sqlite3_prepare_v2(db,
    "SELECT bio, circles, country, current_location, date_joined, default_wallet, display_name, first_name, id, image_url,"
    " kyc_status, languages, last_name, off_chain_created_at, off_chain_last_withdrawn_at, off_chain_liveness_min_blinks,"
    " off_chain_liveness_require_head_movement, off_chain_liveness_required_samples, off_chain_liveness_warmup_duration,"
    " off_chain_liveness_tier, off_chain_mining_events, off_chain_next_mining_at, off_chain_pending_events, off_chain_tokens,"
    " off_chain_withdrawn_events, referrals_count, username, wac_status FROM users ORDER BY date_joined DESC, id", -1, &rows, NULL);
  int more = sqlite3_step(rows) == SQLITE_ROW;
  while (more || page == 0) {
    page++;
    used = 0;
    raw(text, (size_t)snprintf(text, sizeof text, "{\"count\":%ld,\"next\":", count));
    link_to(base, page + 1, pages);
    LITERAL(",\"previous\":");
    link_to(base, page - 1, pages);
    LITERAL(",\"results\":[");
    for (in_page = 0; more && in_page < size; in_page++) {
      if (in_page) LITERAL(",\n"); else LITERAL("\n");
      record(avatar);
      more = sqlite3_step(rows) == SQLITE_ROW;
    }
    if (in_page) LITERAL("\n]}\n"); else LITERAL("]}\n");
    snprintf(text, sizeof text, "%s/%ld.json", folder, page);
    int file = open(text, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || write(file, out, used) != (ssize_t)used) return 1;
    close(file);
  }
  return 0;
}
