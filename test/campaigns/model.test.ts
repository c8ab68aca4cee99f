import { model } from '../../campaigns/model/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(model);
