import { webhooks } from '../../campaigns/webhooks/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(webhooks);
