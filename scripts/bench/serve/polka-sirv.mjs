// The host that one would write first: polka, and sirv over the release's folder. argv: folder, port.
import polka from "polka";
import sirv from "sirv";

const [, , folder, port] = process.argv;

polka()
  .use(
    (req, _res, next) => {
      if (req.path === "/api/users/") req.url = `/api/users/pages/${req.query.page || 1}.json`;
      // Or polka's router gives sirv the path that it has parsed before.
      req._parsedUrl = undefined;
      next();
    },
    sirv(folder, { gzip: true, brotli: true, etag: true }),
  )
  .listen(Number(port), "127.0.0.1", () => console.log("listening"));
