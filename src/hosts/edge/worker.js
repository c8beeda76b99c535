/** Cloudflare's Worker: it reads the release's files from the static assets. */
import { answer } from "./answer.js";

export default {
  fetch(request, env) {
    return answer(request, (path) => env.ASSETS.fetch(new URL(`/${path}`, request.url)));
  },
};
