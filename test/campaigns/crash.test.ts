import { crash } from '../../campaigns/crash/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(crash);
