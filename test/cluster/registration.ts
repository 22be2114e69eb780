/** Registers accounts at a node, as a page of an app does. */

/** Registers an account at the server with a URL. */
export async function register(url: string, username: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://app.example' },
    body: JSON.stringify({
      appId: 'test-app',
      username,
      password: 'a long password for tests',
      email: `${username}@example.com`
    })
  })
  return { status: response.status, body: await response.json() }
}
