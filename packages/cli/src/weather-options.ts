import { type Command, Option } from 'commander';

const SCALINGS = [
  'none',
  'constant_scale',
  'exponential_boost',
  'exponential_boost_latitude_customization',
  'constant_scale_by_level',
  'histogram_matching',
];

/** The options of every command that computes from weather. */
export function weatherOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--humidity-scaling <name>', 'how humidity of the weather is corrected').choices(SCALINGS),
    )
    .option('--rhi-adj <number>', 'divisor of constant_scale and exponential_boost')
    .option('--rhi-boost-exponent <number>', 'exponent of exponential_boost')
    .addOption(
      new Option('--level-type <type>', 'levels that coefficients are for').choices(['pressure', 'model']),
    )
    .option('--met-source <name>', 'weather source (default: the first that covers the request)')
    .option('--demo', 'synthetic weather where no source is configured');
}
