import { personalData } from '../../campaigns/personal-data/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(personalData);
