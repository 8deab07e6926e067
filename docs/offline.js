// The service worker of the playground: what its pages load is kept for a reload offline. The server is asked
// first, so that a new release is seen at once.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && new URL(request.url).origin === location.origin) event.respondWith(answer(request));
});

async function answer(request) {
  const cache = await caches.open("playground");
  try {
    const fetched = await fetch(request);
    if (fetched.ok) await cache.put(request, fetched.clone());
    return fetched;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}
