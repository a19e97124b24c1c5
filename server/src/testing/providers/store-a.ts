import { randomBytes } from 'node:crypto';
import { sendJson, sendPage, startStandIn, type StandIn } from './stand-in.ts';

/** A ticket that the store has issued. */
interface Ticket {
  appId: string;
  userId: string;
  identity?: string;
  expired?: boolean;
  vacBanned?: boolean;
  publisherBanned?: boolean;
}

interface StoreAStandIn extends StandIn {
  appId: string;
  webApiKey: string;
  /** Issues a ticket for the application to a client. */
  ticketOf(userId: string, ticket?: Partial<Ticket>): string;
}

let users = 76_561_197_960_265_728n;
/** Returns an unused user id. */
export const newStoreAUser = () => String(++users);

/** Starts a fake of the store's web API, with its documented responses and errors. */
export async function startStoreA(): Promise<StoreAStandIn> {
  const appId = '480';
  const webApiKey = randomBytes(16).toString('hex').toUpperCase();
  const tickets = new Map<string, Ticket>();

  const standIn = await startStandIn((url, response) => {
    if (url.pathname !== '/ISteamUserAuth/AuthenticateUserTicket/v1/')
      return sendPage(response, 404, 'Not Found');
    const { key, appid, ticket: token, identity } = Object.fromEntries(url.searchParams);
    if (key !== webApiKey)
      return sendPage(response, 403, `Forbidden: please verify your key=${key} parameter`);
    if (!token || !/^\d+$/.test(appid ?? '')) return sendPage(response, 400, 'Bad Request');

    const refuse = (errorcode: number, errordesc: string) =>
      sendJson(response, 200, { response: { error: { errorcode, errordesc } } });
    const ticket = tickets.get(token.toLowerCase());
    if (!ticket || ticket.expired || ticket.identity !== identity) return refuse(101, 'Invalid ticket');
    if (ticket.appId !== appid) return refuse(102, 'Ticket for other app');
    sendJson(response, 200, {
      response: {
        params: {
          result: 'OK',
          steamid: ticket.userId,
          ownersteamid: ticket.userId,
          vacbanned: ticket.vacBanned ?? false,
          publisherbanned: ticket.publisherBanned ?? false,
        },
      },
    });
  });

  return Object.assign(standIn, {
    appId,
    webApiKey,
    ticketOf(userId: string, ticket: Partial<Ticket> = {}) {
      const token = randomBytes(120).toString('hex');
      tickets.set(token, { appId, userId, ...ticket });
      return token;
    },
  });
}
