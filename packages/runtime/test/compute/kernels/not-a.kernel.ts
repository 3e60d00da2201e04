export default () => 'a plain function';
