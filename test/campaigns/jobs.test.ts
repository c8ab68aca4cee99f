import { jobs } from '../../campaigns/jobs/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(jobs);
