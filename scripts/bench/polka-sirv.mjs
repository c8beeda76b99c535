// A simple host: polka, and sirv over the release's folder. argv: folder.
import polka from "polka";
import sirv from "sirv";

const [, , folder] = process.argv;

const { server } = polka()
  .use(
    (req, _res, next) => {
      if (req.path === "/api/users/") req.url = `/api/users/pages/${req.query.page || 1}.json`;
      // Otherwise polka's router passes its cached parsed path to sirv.
      req._parsedUrl = undefined;
      next();
    },
    sirv(folder, { gzip: true, brotli: true, etag: true }),
  )
  .listen(0, "127.0.0.1", () => console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })));
