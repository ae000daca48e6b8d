// The dashboard of Kafka, with metrics of Kafka's exporter.

import type { Dashboard } from './dashboard.ts'

export const kafka: Dashboard = {
  uid: 'weir-kafka',
  title: 'Weir: Kafka',
  panels: [
    {
      title: 'Brokers',
      unit: 'none',
      queries: [['max(kafka_brokers)', 'there']],
    },
    {
      title: 'Partitions with too few in-sync replicas',
      unit: 'none',
      queries: [
        ['sum(kafka_topic_partition_under_replicated_partition)', 'not all in sync'],
        [
          'count(kafka_topic_partition_in_sync_replica < 2 and kafka_topic_partition_replicas > 2) or vector(0)',
          'that refuse writes',
        ],
      ],
    },
    {
      title: 'Records written, by topic, the ten busiest',
      unit: 'short',
      queries: [
        [
          'topk(10, sum by (topic) (rate(kafka_topic_partition_current_offset{topic!~"__.*"}[5m])))',
          '{{topic}}, a second',
        ],
      ],
    },
    {
      title: 'Records kept, by topic, the ten largest',
      unit: 'short',
      queries: [
        [
          'topk(10, sum by (topic) (kafka_topic_partition_current_offset - kafka_topic_partition_oldest_offset))',
          '{{topic}}',
        ],
      ],
    },
    {
      title: 'Lag of derived streams, the ten largest',
      unit: 'short',
      queries: [
        [
          'topk(10, sum by (consumergroup) (kafka_consumergroup_lag{consumergroup=~"weir[.].*"}))',
          '{{consumergroup}}',
        ],
      ],
    },
    {
      title: "Lag of analysts' own groups, the ten largest",
      unit: 'short',
      queries: [
        [
          'topk(10, sum by (consumergroup) (kafka_consumergroup_lag{consumergroup!~"weir[.].*"}))',
          '{{consumergroup}}',
        ],
      ],
    },
    {
      title: 'Control state, records kept',
      help: 'Compacted: grows with streams and contracts, not with events.',
      unit: 'short',
      queries: [
        [
          'sum by (topic) (kafka_topic_partition_current_offset{topic=~"weir[.].*"} - kafka_topic_partition_oldest_offset{topic=~"weir[.].*"})',
          '{{topic}}',
        ],
      ],
    },
    {
      title: 'Partitions whose leader is not the preferred one',
      unit: 'none',
      queries: [['sum(kafka_topic_partition_leader_is_preferred == bool 0)', 'partitions']],
    },
  ],
}
