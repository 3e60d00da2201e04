// Made by scripts/make-tables.ts from data/aircraft-body-class.csv; do not edit.

export const aircraftBodyClass = {
  rowCount: 117,
  icaoType: [
    'A148', 'A158', 'A19N', 'A20N', 'A21N', 'A306', 'A30B', 'A310', 'A318', 'A319', 'A320', 'A321', 'A332',
    'A333', 'A337', 'A338', 'A339', 'A342', 'A343', 'A345', 'A346', 'A359', 'A35F', 'A35K', 'A388', 'A3ST',
    'AJ27', 'B37M', 'B38M', 'B39M', 'B461', 'B462', 'B463', 'B701', 'B703', 'B712', 'B721', 'B722', 'B732',
    'B733', 'B734', 'B735', 'B736', 'B737', 'B738', 'B739', 'B741', 'B742', 'B743', 'B744', 'B748', 'B74S',
    'B752', 'B753', 'B762', 'B763', 'B764', 'B772', 'B773', 'B77L', 'B77W', 'B788', 'B789', 'B78X', 'BCS1',
    'BCS3', 'CRJ1', 'CRJ2', 'CRJ7', 'CRJ9', 'CRJX', 'DC10', 'DC85', 'DC86', 'DC87', 'DC91', 'DC92', 'DC93',
    'DC95', 'E135', 'E145', 'E170', 'E190', 'E195', 'E290', 'E295', 'E45X', 'E75L', 'E75S', 'E767', 'F100',
    'F28', 'F70', 'IL62', 'IL76', 'IL86', 'IL96', 'J328', 'L101', 'MC23', 'MD11', 'MD81', 'MD82', 'MD83',
    'MD87', 'MD88', 'MD90', 'R721', 'R722', 'RJ1H', 'RJ70', 'RJ85', 'SU95', 'T134', 'T154', 'T204', 'YK42',
  ] as readonly string[],
  bodyClass: [
    'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'wide', 'wide', 'wide', 'narrow', 'narrow', 'narrow',
    'narrow', 'wide', 'wide', 'wide', 'wide', 'wide', 'wide', 'wide', 'wide', 'wide', 'wide', 'wide', 'wide',
    'wide', 'wide', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow',
    'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow',
    'narrow', 'wide', 'wide', 'wide', 'wide', 'wide', 'wide', 'narrow', 'narrow', 'wide', 'wide', 'wide',
    'wide', 'wide', 'wide', 'wide', 'wide', 'wide', 'wide', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow',
    'narrow', 'narrow', 'wide', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow',
    'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow',
    'wide', 'narrow', 'narrow', 'narrow', 'narrow', 'wide', 'wide', 'wide', 'narrow', 'wide', 'narrow',
    'wide', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow',
    'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow', 'narrow',
  ] as readonly string[],
};
