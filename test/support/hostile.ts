/** Hostile texts for every page that shows texts of records. */

/** Markup, scripts and templates. */
export const HOSTILE = [
  "</script><script>alert(1)</script>",
  "<script>alert(1)</script>",
  "<!--<script>",
  "]]><![CDATA[",
  '<img src="https://evil.example/x.png" onerror="alert(1)">',
  '"><svg onload=alert(1)>',
  "<style>* { display: none }</style>",
  "<link rel=stylesheet href=https://evil.example/x.css>",
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  "<base href=https://evil.example/>",
  "<iframe srcdoc='<script>alert(1)</script>'>",
  "javascript:alert(1)",
  "$\u007balert(1)} {{constructor.constructor('alert(1)')()}}",
  "__proto__",
  "&lt;b&gt; &amp; &#x3c;",
  "a\\u003cb\\n",
  "line\nbreak\r\nand\ttab",
] as const;

/** Invisible characters, and how they must be shown. */
export const INVISIBLE = [
  ["user\u202Etxt.exe", "user\\u202etxt.exe"],
  ["\u0000\u001b[2J", "\\u0000\\u001b[2J"],
  ["a\u2028b\u2029c\u200bd\ufeffe", "a\\u2028b\\u2029c\\u200bd\\ufeffe"],
  ["half \ud800 pair", "half \\ud800 pair"],
] as const;
