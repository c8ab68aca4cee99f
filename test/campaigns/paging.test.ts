import { paging } from '../../campaigns/paging/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(paging);
