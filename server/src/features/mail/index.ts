export { deliverMail } from './deliver-mail.ts';
export { deleteOldMails } from './queries.ts';
export { outboxRoutes } from './routes.ts';
export { mailQueue, sendMail } from './send-mail.ts';
export { openMailServer, type MailServer } from './smtp.ts';
