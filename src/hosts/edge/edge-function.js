/** Netlify's edge function: what would answer without it has the release's files, so reading one asks no function again. */
import { answer } from "./answer.js";

export default (request, context) =>
  answer(request, (path) => context.next(new Request(new URL(`/${path}`, request.url))));

export const config = { path: "/*" };
