export { mailNotice, type NoticeRecipient } from './account-notice.ts';
export { deliverMail } from './deliver-mail.ts';
export { consoleLink, quoted, type EmailContent } from './email-content.ts';
export { measureMails } from './measure-mails.ts';
export { deleteOldMails, findFailingMail } from './queries.ts';
export { requestedMailQueue } from './requested-mail-queue.ts';
export { outboxRoutes } from './routes.ts';
export { mailQueue, sendMail, type MailServices } from './send-mail.ts';
export { openMailServer, type MailServer } from './smtp.ts';
