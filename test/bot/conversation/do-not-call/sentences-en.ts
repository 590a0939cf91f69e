import type { Sentences } from './sentences.js';

export const EN: Sentences = {
  asks: `Don't call me again.
Do not call me again!
Please don't call me again.
Please do not ever call this number again.
Never call me again.
Don't ever call me again, okay?
Do not call here anymore.
Don't call this number any more.
Please do not contact me again.
Don't ring me again.
Don't you ever call me again.
I don't want to be called again.
I do not want to be called anymore.
We don't want to be contacted again.
I don't want you to call me again.
I don't want you calling me anymore.
I no longer wish to be contacted.
I never want to be called again.
I don't want any more calls.
I don't want to receive any more calls from you.
I don't want any calls.
No more calls, please.
Stop calling me.
Can you stop calling me, please?
Would you please stop calling this number?
Quit calling us.
Stop calling.
Take me off your list.
Please take my number off your calling list.
Could you remove me from your list?
Remove my number from your database.
Delete my number from your records, please.
Please get me off this list.
Put me on your do not call list.
Please put my number on the do-not-call list.
Add me to your do-not-call registry.
Lose my number.
Please delete my number.
Opt me out.
I want to opt out of all calls.
You must not call me again.
You are not to call this number again.
I said don't call me!
Don't call me.
Look, I'm not interested. Don't call me again.
Hi, yes, um, please do not call me again in the future.
Don’t call me ever again`,
  others: `Do not call me before nine.
Don't call me before nine o'clock, please.
Call me again tomorrow.
Please call me again.
Can you call me again later?
Don't call me tomorrow, call me on Friday.
Don't call me again today.
Don't call me after six.
Please don't call me at work.
Don't call me again until Monday.
Do not call me while I'm driving.
Don't call me at night.
Stop calling me at night.
Don't call me so early again.
Don't call me again this week.
Don't call me again for two weeks.
Why don't you call me again?
Why did you stop calling me?
Don't forget to call me again.
Don't hesitate to call me again.
Don't call me sir.
Don't call me Robert again.
Don't call me that again.
He said don't call me again.
She told me never to call her again.
My boss said do not call this number again.
I never call this number anymore.
I don't call my mother anymore.
They don't call me anymore.
You never call me anymore.
I will never call you again.
I don't want to lose my number.
I don't want you to call my colleague.
Can I be called again tomorrow?
Do you call this number again if I miss it?
Remove the first item from my list.
Take milk off my shopping list.
Put me on the waiting list.
Put me on your newsletter list.
I want to opt out of the newsletter.
Delete my appointment.
Don't hang up on me again.
Don't contact me by mail.
I did not say don't call me again.
I can't hear you, please call me back.
No, don't cancel it again.
There were no more calls yesterday.
Is this the do not call list?
Stop. Call me again later.
I don't want to call again.
If you call me again, I will be happy.
Don't ask me again.`,
};
