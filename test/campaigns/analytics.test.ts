import { analytics } from '../../campaigns/analytics/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(analytics);
