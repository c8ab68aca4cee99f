import { fraud } from '../../campaigns/fraud/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(fraud);
