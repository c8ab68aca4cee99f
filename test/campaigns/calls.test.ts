import { calls } from '../../campaigns/calls/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(calls);
