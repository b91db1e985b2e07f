// The identity provider that tests sign in at: oidc-provider over TLS on a free port of loopback. It asks for no
// password: every login is the one account, whose claims a test sets. It must never serve real users.
//
// The environment: OPTIONS, as JSON. Its first line on stdout is its port. POST /test/account sets the account,
// POST /test/removed makes renewals of these accounts fail as Dex does for a person who was removed,
// POST /test/token-life how many seconds an ID token lasts,
// POST /test/logout tells the client of a logout, POST /test/given answers with every token that it gave.
import { createServer } from 'node:https';

import Provider from 'oidc-provider';

const options = JSON.parse(process.env.OPTIONS);
let account = options.account;
let tokenLife = 3600;
let removed = [];
let provider;
/// Every access, refresh and ID token so far.
const given = [];

const server = createServer({ cert: options.certificate, key: options.key }, async (request, response) => {
  try {
    const { pathname } = new URL(request.url, 'https://localhost');
    if (pathname.startsWith('/interaction/')) await interact(request, response);
    else if (pathname === '/test/account') await set(request, response);
    else if (pathname === '/test/token-life') await setTokenLife(request, response);
    else if (pathname === '/test/removed') await setRemoved(request, response);
    else if (pathname === '/test/logout') await logout(request, response);
    else if (pathname === '/test/given') response.end(JSON.stringify(given));
    else provider.callback()(request, response);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});

/// Signs in, and agrees to everything.
async function interact(request, response) {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: account.sub } });
  }
  const grant = grantId
    ? await provider.Grant.find(grantId)
    : new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}

/// The page of a sign-out, as every provider has one. Its own one loads a font from elsewhere.
async function askWhetherToSignOut(context, form) {
  const button = '<button type="submit" form="op.logoutForm" name="logout" value="yes">Sign out</button>';
  context.body = `<!doctype html><title>Sign out?</title>${form}${button}`;
}

async function body(request) {
  let text = '';
  for await (const part of request) text += part;
  return JSON.parse(text);
}

async function set(request, response) {
  account = await body(request);
  response.writeHead(200).end();
}

async function setTokenLife(request, response) {
  tokenLife = await body(request);
  response.writeHead(200).end();
}

async function setRemoved(request, response) {
  removed = await body(request);
  response.writeHead(200).end();
}

async function failForRemoved(context, next) {
  await next();
  const { params, entities } = context.oidc ?? {};
  if (params?.grant_type === 'refresh_token' && removed.includes(entities?.RefreshToken?.accountId)) {
    context.status = 500;
    context.body = { error: 'server_error' };
  }
}

async function logout(request, response) {
  const { sub, sid } = await body(request);
  const client = await provider.Client.find(options.client.client_id);
  await client.backchannelLogout(sub, sid);
  response.writeHead(200).end();
}

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  provider = new Provider(`https://${options.host}:${port}`, {
    clients: [options.client],
    scopes: options.offline ? ['openid', 'offline_access'] : ['openid'],
    claims: { openid: ['sub', 'sid'], profile: ['name', 'groups'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    findAccount: (_, sub) => ({ accountId: sub, claims: () => account }),
    features: {
      backchannelLogout: { enabled: true },
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true, logoutSource: askWhetherToSignOut },
    },
    // Its own way refuses loopback, where a test's gateway is.
    fetch: (url, { dispatcher, ...options }) => globalThis.fetch(url, options),
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    ttl: { IdToken: () => tokenLife },
    issueRefreshToken: () => options.offline,
    rotateRefreshToken: () => true,
    cookies: { keys: ['of a test'] },
  });
  provider.use(failForRemoved);
  provider.on('grant.success', ({ body: { access_token, refresh_token, id_token } }) => {
    given.push(...[access_token, refresh_token, id_token].filter(Boolean));
  });
  process.stdout.write(`${port}\n`);
});
