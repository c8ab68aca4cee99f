import { rejoin } from '../../campaigns/rejoin/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(rejoin);
