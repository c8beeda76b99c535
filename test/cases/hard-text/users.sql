-- Text that breaks careless encoders: quotes, controls, line separators, NUL, astral, right-to-left, combining, HTML.
INSERT INTO users (id, bio, first_name, last_name, display_name) VALUES
  ('00000000-0000-4000-8000-000000000001', '"quotes" \backslash\ /slash/ ''single''', '"', '\', '"\"'),
  ('00000000-0000-4000-8000-000000000002', 'a' || char(0) || 'b' || char(1, 8, 9, 10, 11, 12, 13, 27, 31, 127), char(0), char(10), char(9)),
  ('00000000-0000-4000-8000-000000000003', 'line' || char(0x2028) || 'paragraph' || char(0x2029) || 'bom' || char(0xFEFF), char(0x200B), char(0x85), ' '),
  ('00000000-0000-4000-8000-000000000004', '👩‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠜎', '😀', '𐍈', '😀 𐍈'),
  ('00000000-0000-4000-8000-000000000005', 'مرحبا بالعالم ‮abc‬ שלום', 'فاطمة', 'الزهراء', 'فاطمة الزهراء'),
  ('00000000-0000-4000-8000-000000000006', 'é is not ' || 'e' || char(0x301) || ', Z̷͙̓a̴̧l̵g̶o̷', 'e' || char(0x301), 'é', 'é'),
  ('00000000-0000-4000-8000-000000000007', '</script><script>alert(1)</script><!-- & &amp; ]]>', '<b>', '&', '%00%0a'),
  ('00000000-0000-4000-8000-000000000008', 'a real ' || char(0xFFFD) || ' replacement, ' || char(0xFFFF, 0x10FFFF), char(0xFFFD), char(0xE000), char(0xFDD0));
