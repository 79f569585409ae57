/** The operations of the service itself: health, introspection, metrics, audit and keys. */
import { auditList, auditVerify, getAuditLogs } from './audit.ts';
import { healthCheck } from './health.ts';
import { apiSpecification, describe, echo, metaTools } from './introspection.ts';
import { keysAdd, keysList, keysRevoke } from './keys.ts';
import { featureStatus, metricsSnapshot } from './metrics.ts';

export const operations = [
  healthCheck,
  describe,
  metaTools,
  apiSpecification,
  echo,
  featureStatus,
  metricsSnapshot,
  getAuditLogs,
  auditList,
  auditVerify,
  keysAdd,
  keysList,
  keysRevoke,
];
