/** Pools of names and texts by locale, made once with faker, which is too slow for every field of a million users. */
import type { Faker } from "@faker-js/faker";
import { faker as ar } from "@faker-js/faker/locale/ar";
import { faker as de } from "@faker-js/faker/locale/de";
import { faker as el } from "@faker-js/faker/locale/el";
import { faker as en } from "@faker-js/faker/locale/en";
import { faker as es } from "@faker-js/faker/locale/es";
import { faker as fa } from "@faker-js/faker/locale/fa";
import { faker as fr } from "@faker-js/faker/locale/fr";
import { faker as he } from "@faker-js/faker/locale/he";
import { faker as hy } from "@faker-js/faker/locale/hy";
import { faker as ja } from "@faker-js/faker/locale/ja";
import { faker as ka } from "@faker-js/faker/locale/ka_GE";
import { faker as ko } from "@faker-js/faker/locale/ko";
import { faker as ne } from "@faker-js/faker/locale/ne";
import { faker as pl } from "@faker-js/faker/locale/pl";
import { faker as pt } from "@faker-js/faker/locale/pt_BR";
import { faker as ru } from "@faker-js/faker/locale/ru";
import { faker as th } from "@faker-js/faker/locale/th";
import { faker as tr } from "@faker-js/faker/locale/tr";
import { faker as uk } from "@faker-js/faker/locale/uk";
import { faker as vi } from "@faker-js/faker/locale/vi";
import { faker as zh } from "@faker-js/faker/locale/zh_CN";

/** A locale's pools, from which users are combined. */
export interface Place {
  countries: readonly string[];
  languages: readonly string[];
  firstNames: readonly string[];
  lastNames: readonly string[];
  cities: readonly string[];
  /** Sentences for bios, in the locale's own script. */
  sentences: readonly string[];
}

interface Locale {
  faker: Faker;
  countries: readonly string[];
  languages: readonly string[];
  /** Own sentences, if faker's lorem has no text in the locale's script. */
  sentences?: readonly string[];
}

const LOCALES: readonly Locale[] = [
  { faker: en, countries: ["US", "GB", "NG", "IN", "AU"], languages: ["EN"] },
  { faker: de, countries: ["DE", "AT", "CH"], languages: ["DE"] },
  { faker: fr, countries: ["FR", "BE", "SN", "CA"], languages: ["FR"] },
  { faker: es, countries: ["ES", "MX", "AR", "CO"], languages: ["ES"] },
  { faker: pt, countries: ["BR"], languages: ["PT-BR"] },
  { faker: pl, countries: ["PL"], languages: ["PL"] },
  { faker: tr, countries: ["TR"], languages: ["TR"] },
  { faker: vi, countries: ["VN"], languages: ["VI"] },
  { faker: el, countries: ["GR", "CY"], languages: ["EL"] },
  { faker: ru, countries: ["RU", "KZ"], languages: ["RU"] },
  {
    faker: uk,
    countries: ["UA"],
    languages: ["UK"],
    sentences: ["Люблю гори та каву.", "Вчуся щодня.", "Пишу про подорожі та їжу.", "Просто тут."],
  },
  { faker: ar, countries: ["EG", "SA", "MA", "AE"], languages: ["AR"] },
  { faker: fa, countries: ["IR"], languages: ["FA"] },
  { faker: he, countries: ["IL"], languages: ["HE"] },
  { faker: hy, countries: ["AM"], languages: ["HY"] },
  {
    faker: ka,
    countries: ["GE"],
    languages: ["KA"],
    sentences: ["მიყვარს მთები და ზღვა.", "ვსწავლობ ყოველდღე.", "მოგესალმებით თბილისიდან."],
  },
  {
    faker: zh,
    countries: ["CN", "SG"],
    languages: ["ZH-HANS"],
    sentences: ["热爱旅行与摄影。", "终身学习者。", "咖啡、猫和代码。", "来自北京，住在海边。"],
  },
  { faker: ja, countries: ["JP"], languages: ["JA"] },
  { faker: ko, countries: ["KR"], languages: ["KO"] },
  {
    faker: th,
    countries: ["TH"],
    languages: ["TH"],
    sentences: ["รักการเดินทางและกาแฟ", "เรียนรู้ทุกวัน", "อยู่กรุงเทพฯ กับแมวสองตัว"],
  },
  {
    faker: ne,
    countries: ["NP", "IN"],
    languages: ["NE", "HI"],
    sentences: ["मुझे यात्रा और संगीत पसंद है।", "हर दिन कुछ नया सीखता हूँ।", "पहाडको मान्छे।"],
  },
];

const NAMES = 800;
const CITIES = 200;
const SENTENCES = 300;

/** Makes every locale's pools from the seed. */
export function makePlaces(seed: number): Place[] {
  return LOCALES.map(({ faker, countries, languages, sentences }) => {
    faker.seed(seed);
    return {
      countries,
      languages,
      firstNames: draw(NAMES, () => faker.person.firstName()),
      lastNames: draw(NAMES, () => faker.person.lastName()),
      cities: draw(CITIES, () => faker.location.city()),
      sentences: sentences ?? draw(SENTENCES, () => faker.lorem.sentence({ min: 3, max: 9 })),
    };
  });
}

/** Login names, to which a number is appended. */
export function makeLogins(seed: number): string[] {
  en.seed(seed);
  return draw(NAMES, () => en.internet.username().toLowerCase().replace(/\d+$/, ""));
}

function draw(times: number, make: () => string): string[] {
  return [...new Set(Array.from({ length: times }, make))];
}
