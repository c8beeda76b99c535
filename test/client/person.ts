export type Person = Record<string, unknown> & { id: string; date_joined: string };

/** A plain user of the contract; every two joined at one moment, a day before the two ahead of them. */
export function person(at: number): Person {
  const date = `2026-01-0${9 - Math.floor(at / 2)}T00:00:00.000000Z`;
  return {
    bio: 'Line one\n"two"',
    circles: [],
    country: "GB",
    current_location: "XX",
    date_joined: date,
    default_wallet: null,
    display_name: "Ada Lovelace",
    first_name: "Ada",
    id: `00000000-0000-4000-8000-00000000000${at}`,
    image_url: "https://media.example.com/nobody.png",
    kyc_status: "VERIFIED",
    languages: ["EN"],
    last_name: "Lovelace",
    off_chain: {
      created_at: date,
      last_withdrawn_at: null,
      liveness_config: {
        min_blinks: 1,
        require_head_movement: false,
        required_samples: 2,
        warmup_duration: 2,
      },
      liveness_tier: "normal",
      mining_events: 5,
      next_mining_at: "1970-01-01T00:00:00",
      pending_events: 2,
      tokens: 4,
      withdrawn_events: 3,
    },
    referrals_count: 0,
    username: "ada",
    wac_status: 0,
  };
}
